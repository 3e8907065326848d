//! The server over real connections.

mod answers;
mod files;
mod keep;
mod openapi;
mod random;
mod reset;
mod slow;
mod support;
