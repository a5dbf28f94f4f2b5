//! The functions that complete the arguments of prompts and the variables of resource templates.

mod completers;

pub(crate) use completers::Completers;
