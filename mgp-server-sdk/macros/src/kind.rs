//! The kinds of handlers, and the expressions that create them.

use crate::options::Options;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Error, Ident, Result};

/// The kind of a handler.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Tool, Self::Prompt, Self::Resource];

    /// Returns the kind of an attribute by its last segment, so that `#[mgp_server_sdk::tool]` is recognized too.
    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        let last = attribute.path().segments.last()?;
        Self::ALL.into_iter().find(|kind| last.ident == kind.name())
    }

    /// Returns the name of the attribute, and of the function that returns its item.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    /// Generates the item's type, and the expression that creates it from `handler`.
    pub(crate) fn construct(
        self,
        function: &Ident,
        attributes: &[Attribute],
        mut options: Options,
        handler: &TokenStream,
    ) -> Result<(TokenStream, TokenStream)> {
        let name = options.take("name").unwrap_or_else(|| {
            let name = function.to_string();
            let name = name.trim_start_matches("r#");
            quote! { #name }
        });
        let described = options.take("description");
        let description =
            described.or_else(|| crate::description::of(attributes).map(|text| quote! { #text }));
        let uri = options.uri.take();
        if let (Self::Tool | Self::Prompt, Some(uri)) = (self, &uri) {
            let problem = format!("a {} has no URI: expected `name = ..` or a setter", self.name());
            return Err(Error::new(uri.span(), problem));
        }
        let missing = || {
            let what = self.name();
            let problem =
                format!("this {what} has no description: write a doc comment, or `description = ..`");
            Error::new(function.span(), problem)
        };
        let (of, made) = match self {
            Self::Tool | Self::Prompt => {
                let of = if matches!(self, Self::Tool) { quote!(Tool) } else { quote!(Prompt) };
                let description = description.ok_or_else(missing)?;
                let made = quote! { ::mgp_server_sdk::#of::new(#name, #description, #handler) };
                (of, made)
            }
            Self::Resource => {
                let uri = uri.ok_or_else(|| {
                    let problem = "a resource has a URI: write it first, as in `#[resource(\"note://all\")]`";
                    Error::new(Span::call_site(), problem)
                })?;
                let of = if uri.value().contains('{') { quote!(ResourceTemplate) } else { quote!(Resource) };
                let form = format_ident!("{}", options.take("binary").map_or("text", |_| "binary"));
                let description = description.map(|text| quote! { .description(#text) });
                let made = quote! { ::mgp_server_sdk::#of::#form(#uri, #name, #handler) #description };
                (of, made)
            }
        };
        let setters = options.calls();
        Ok((quote! { ::mgp_server_sdk::#of }, quote! { #made #setters }))
    }
}
