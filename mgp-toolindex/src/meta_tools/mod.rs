//! The kernel's own tools, for hosts that only support `tools/call` to find and call tools.

mod answer;
mod arguments;
mod definitions;

pub use answer::{answer, wrong_arguments};
pub use arguments::{
    CallArguments, MetaCall, MetaRequest, OwnCall, OwnRequest, ReadRequest, TransactionRequest, parse,
};
pub use definitions::{NAMES, definitions, say_categories, say_creation, say_reading, say_transactions};
