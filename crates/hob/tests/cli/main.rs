//! `hob` as people and programs run it.

mod answers;
mod convert;
mod explore;
mod follow;
mod generate;
mod golden;
mod hostile;
mod limits;
mod run;
mod schema;
#[path = "../support/valid.rs"]
mod valid;
