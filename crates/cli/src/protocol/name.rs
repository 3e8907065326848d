//! What `hob protocol` is asked for by name.

use hobgoblin_protocol::models::ModelInfo;

/// A model, or the list of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    Model(ModelInfo),
    List,
}
