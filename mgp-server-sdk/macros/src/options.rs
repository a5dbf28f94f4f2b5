//! The options of an attribute: setters of the type that it creates.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Expr, Ident, LitStr, Token, parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

/// The setters that add another value on each call.
const ADDING: &[&str] =
    &["complete", "example", "example_result", "fails_with", "security_note", "icon", "layer"];

/// The options of an attribute.
#[derive(Default)]
pub(crate) struct Options {
    /// The leading text.
    pub(crate) uri: Option<LitStr>,
    setters: Vec<Setter>,
}

/// A setter with its arguments: `title = "x"`, `complete("a", b)`, or `read_only` for `read_only = true`.
struct Setter {
    name: Ident,
    arguments: TokenStream,
}

impl Options {
    /// Removes an option that is not a setter.
    pub(crate) fn take(&mut self, name: &str) -> Option<TokenStream> {
        let at = self.setters.iter().position(|setter| setter.name == name)?;
        Some(self.setters.remove(at).arguments)
    }

    /// Generates the calls of the setters. For an unknown setter, the compiler reports an error at its name.
    pub(crate) fn calls(&self) -> TokenStream {
        let calls = self.setters.iter().map(|Setter { name, arguments }| {
            quote_spanned! { name.span() => .#name(#arguments) }
        });
        quote! { #(#calls)* }
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        if input.peek(LitStr) {
            options.uri = Some(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let setters = Punctuated::<Setter, Token![,]>::parse_terminated(input)?;
        for setter in setters {
            let adds = ADDING.iter().any(|name| setter.name == name);
            if !adds && options.setters.iter().any(|other| other.name == setter.name) {
                return Err(syn::Error::new(setter.name.span(), format!("`{}` is set twice", setter.name)));
            }
            options.setters.push(setter);
        }
        Ok(options)
    }
}

impl Parse for Setter {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        let arguments = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value: Expr = input.parse()?;
            quote! { #value }
        } else if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            content.parse()?
        } else {
            quote! { true }
        };
        Ok(Self { name, arguments })
    }
}
