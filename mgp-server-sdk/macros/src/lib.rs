//! The attributes of `mgp-server-sdk`, which re-exports and documents them with its feature `macros`.

mod description;
mod function;
mod kind;
mod options;
mod server;

use proc_macro::TokenStream;

/// Turns a function into a tool.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(kind::Kind::Tool, options.into(), &item.into()).into()
}

/// Turns a function into a prompt.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(kind::Kind::Prompt, options.into(), &item.into()).into()
}

/// Turns a function into a resource.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(kind::Kind::Resource, options.into(), &item.into()).into()
}

/// Turns the methods of a type into a server.
#[proc_macro_attribute]
pub fn server(options: TokenStream, item: TokenStream) -> TokenStream {
    server::expand(options.into(), &item.into()).into()
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
