//! `hob` as people and programs run it.

mod answers;
mod convert;
mod explore;
mod files;
mod first;
mod follow;
mod generate;
mod golden;
mod hostile;
mod hostile_text;
mod limits;
mod run;
mod schema;
#[path = "../support/valid.rs"]
mod valid;
