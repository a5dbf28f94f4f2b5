//! The way in which the program was installed, and the command that updates it.

mod command;
mod place;

pub(crate) use command::lasting_program;
pub(crate) use place::Installation;
