//! Makes the table of the embedded embedder: a vector for each piece of a word, so that the sum over a text points in the direction of a
//! sentence model's vector.

mod adam;
mod axes;
mod batch;
mod run;
mod teacher;
mod texts;
mod train;
mod vocabulary;

pub(crate) use run::run;
