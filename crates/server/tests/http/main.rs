//! The server over real connections.

mod answers;
mod files;
mod openapi;
mod random;
mod reset;
mod slow;
mod support;
