//! JavaScript and TypeScript: names are resolved as Node.js and browsers do, regardless of scopes and of the order in which code runs.

mod bindings;
mod functions;
mod globals;
mod markup;
mod modules;
mod special_calls;
mod strings;
mod targets;
mod values;
mod walk;
mod walker;
mod writes;

pub(super) use walker::findings;
