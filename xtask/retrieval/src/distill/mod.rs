//! Makes the table of the embedded embedder: a vector for each piece of a word, so that the sum over a text points where a
//! sentence model points.

mod adam;
mod axes;
mod batch;
mod run;
mod teacher;
mod texts;
mod train;
mod vocabulary;

pub(crate) use run::run;
