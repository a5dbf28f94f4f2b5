//! `#[server]` on an `impl` block.

use crate::{description, function, kind::Kind, options::Options};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Error, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, Receiver, ReceiverKind, Result, Type, parse2,
    spanned::Spanned,
};

/// Generates the block without our attributes, and the conversion of its type into a server.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> TokenStream {
    let problem = "`#[server]` stands before the `impl` block of a type";
    let parsed = parse2::<ItemImpl>(item.clone()).map_err(|error| Error::new(error.span(), problem));
    let mut block = match parsed {
        Ok(block) if block.trait_.is_none() => block,
        Ok(block) => return failed(item, &Error::new(block.span(), problem)),
        Err(error) => return failed(item, &error),
    };
    let converted = conversion(options, &mut block);
    match converted {
        Ok(converted) => quote! { #block #converted },
        Err(error) => failed(&quote! { #block }, &error),
    }
}

fn failed(item: &TokenStream, error: &Error) -> TokenStream {
    let error = error.to_compile_error();
    quote! { #item #error }
}

/// Removes our attributes from the methods, and generates the conversion.
fn conversion(options: TokenStream, block: &mut ItemImpl) -> Result<TokenStream> {
    let (handlers, problems): (Vec<_>, Vec<_>) = handlers(block).into_iter().partition(Result::is_ok);
    let problems = problems.into_iter().filter_map(Result::err);
    if let Some(problem) = problems.reduce(|mut all, next| {
        all.combine(next);
        all
    }) {
        return Err(problem);
    }
    if handlers.is_empty() {
        let problem = "this server has no handlers: write `#[tool]`, `#[prompt]` or `#[resource(\"uri\")]` before a method";
        return Err(Error::new(Span::call_site(), problem));
    }
    let handlers = handlers.into_iter().filter_map(Result::ok);
    let mut options: Options = parse2(options)?;
    if let Some(uri) = &options.uri {
        return Err(Error::new(uri.span(), "a server has no URI: expected `name = ..` or a setter"));
    }
    let name = options.take("name").unwrap_or_else(|| quote! { ::core::env!("CARGO_PKG_NAME") });
    let version = options.take("version").unwrap_or_else(|| quote! { ::core::env!("CARGO_PKG_VERSION") });
    let instructions = description::of(&block.attrs).map(|text| quote! { .instructions(#text) });
    let setters = options.calls();
    let (generics, of, conditions) = (&block.generics, &block.self_ty, &block.generics.where_clause);
    Ok(quote! {
        impl #generics ::core::convert::From<#of> for ::mgp_server_sdk::Server #conditions {
            fn from(shared: #of) -> Self {
                let shared = ::std::sync::Arc::new(shared);
                ::mgp_server_sdk::Server::new(#name, #version) #instructions #setters #(#handlers)*
            }
        }
    })
}

/// Returns, for each handler among the methods, the call that adds it to the server.
fn handlers(block: &mut ItemImpl) -> Vec<Result<TokenStream>> {
    let of = (*block.self_ty).clone();
    let methods = block.items.iter_mut().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    methods.filter_map(|method| handler(method, &of)).collect()
}

fn handler(method: &mut ImplItemFn, of: &Type) -> Option<Result<TokenStream>> {
    let (at, kind) =
        method.attrs.iter().enumerate().find_map(|(at, attribute)| Some((at, Kind::of(attribute)?)))?;
    let attribute = method.attrs.remove(at);
    let options = match attribute.meta {
        Meta::List(list) => parse2(list.tokens),
        _ => Ok(Options::default()),
    };
    Some(options.and_then(|options| added(kind, options, method, of)))
}

/// Generates the call that adds one handler.
fn added(kind: Kind, options: Options, method: &ImplItemFn, of: &Type) -> Result<TokenStream> {
    function::check(kind, &method.sig)?;
    let name = &method.sig.ident;
    let mut inputs = method.sig.inputs.iter();
    let handler = match inputs.next() {
        Some(FnArg::Receiver(own)) => closure(own, method, of)?,
        _ => quote! { <#of>::#name },
    };
    let setter = match (kind, &options.uri) {
        (Kind::Resource, Some(uri)) if uri.value().contains('{') => format_ident!("resource_template"),
        _ => format_ident!("{}", kind.name()),
    };
    let (_, made) = kind.construct(name, &method.attrs, options, &handler)?;
    Ok(quote! { .#setter(#made) })
}

/// Generates the closure that calls a method on the shared value.
fn closure(own: &Receiver, method: &ImplItemFn, of: &Type) -> Result<TokenStream> {
    if !matches!(own.kind, ReceiverKind::Reference(_, _, None)) {
        let problem = "a handler takes `&self`: handlers run at the same time, on one value that they share";
        return Err(Error::new(own.span(), problem));
    }
    let name = &method.sig.ident;
    let types: Vec<_> = method
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&typed.ty),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let names: Vec<Ident> = (0..types.len()).map(|at| format_ident!("argument_{at}")).collect();
    let call = match method.sig.asyncness {
        Some(_) => quote! { async move { <#of>::#name(&shared, #(#names),*).await } },
        None => quote! { <#of>::#name(&shared, #(#names),*) },
    };
    Ok(quote! {
        {
            let shared = shared.clone();
            move |#(#names: #types),*| {
                let shared = shared.clone();
                #call
            }
        }
    })
}
