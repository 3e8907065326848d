//! The bytes of a request's body, of which only so many are taken.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use hobgoblin_store::MAX_VALUE;
use http_body_util::BodyExt;

use crate::patience::Phase;
use crate::problem::Problem;

/// The bytes of a body, bounded.
pub(crate) struct Body(pub(crate) Bytes);

/// The longest body: a value of the greatest length, and some room for escapes and its key.
pub(crate) const MAX_BODY: usize = MAX_VALUE + (1 << 20);

/// How much of a body that is too long is read and forgotten, so that the client reads why.
const MAX_FORGOTTEN: usize = 4 * MAX_BODY;

impl<S: Sync> FromRequest<S> for Body {
    type Rejection = Problem;

    async fn from_request(mut request: Request, _: &S) -> Result<Body, Problem> {
        let phase = request.extensions_mut().remove::<Arc<Phase>>();
        let mut body = request.into_body();
        let mut bytes = Bytes::new();
        let mut joined = Vec::new();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            let cut = |_| Problem::bad_request("the body ends before its length is reached");
            let Ok(data) = frame.map_err(cut)?.into_data() else { continue };
            length += data.len();
            if length > MAX_FORGOTTEN {
                break;
            }
            if length == data.len() {
                bytes = data;
            } else if length <= MAX_BODY {
                if joined.is_empty() {
                    joined.extend_from_slice(&bytes);
                }
                joined.extend_from_slice(&data);
            }
        }
        if let Some(phase) = phase {
            phase.serves();
        }
        if length > MAX_BODY {
            let detail = format!("the body is longer than {MAX_BODY} bytes; send less at once");
            return Err(Problem::too_large(detail));
        }
        Ok(Body(if joined.is_empty() { bytes } else { joined.into() }))
    }
}
