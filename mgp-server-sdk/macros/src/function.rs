//! `#[tool]`, `#[prompt]` and `#[resource]` on a function.

use crate::kind::Kind;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Error, FnArg, ItemFn, Result, Safety, Signature, Type, parse2, spanned::Spanned};

/// Generates the function, and a type of the same name whose function returns the attribute's item.
pub(crate) fn expand(kind: Kind, options: TokenStream, item: &TokenStream) -> TokenStream {
    made(kind, options, item).map_or_else(
        |error| {
            let error = error.into_compile_error();
            quote! { #item #error }
        },
        |made| quote! { #item #made },
    )
}

fn made(kind: Kind, options: TokenStream, item: &TokenStream) -> Result<TokenStream> {
    let what = kind.name();
    let function: ItemFn = parse2(item.clone())
        .map_err(|error| Error::new(error.span(), format!("`#[{what}]` stands before a function")))?;
    check(kind, &function.sig)?;
    let name = &function.sig.ident;
    let types = types(&function.sig)?;
    let checks =
        types.iter().map(|of| quote_spanned! { of.span() => ::mgp_server_sdk::__check::argument::<#of>(); });
    let (of, made) = kind.construct(name, &function.attrs, parse2(options)?, &quote! { #name })?;
    let (visibility, method) = (&function.vis, format_ident!("{what}"));
    let (docs, returns) =
        (format!("The {what} of the function of the same name."), format!("Returns the {what}."));
    Ok(quote! {
        const _: () = { #(#checks)* };

        #[doc = #docs]
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #visibility enum #name {}

        impl #name {
            #[doc = #returns]
            #visibility fn #method() -> #of {
                #made
            }
        }
    })
}

/// Refuses functions that cannot be handlers, with an error that names the remedy.
pub(crate) fn check(kind: Kind, signature: &Signature) -> Result<()> {
    let what = kind.name();
    if let Some(generic) = signature.generics.params.first() {
        let problem = format!("a {what} has no generic parameters: write the types that it is called with");
        return Err(Error::new(generic.span(), problem));
    }
    match signature.safety {
        Safety::Unsafe(token) => {
            Err(Error::new(token.span, format!("a {what} is called by clients, so it cannot be unsafe")))
        }
        _ => Ok(()),
    }
}

/// Returns the types of the parameters of a function without `self`.
fn types(signature: &Signature) -> Result<Vec<&Type>> {
    fn of(input: &FnArg) -> Result<&Type> {
        match input {
            FnArg::Typed(typed) => Ok(&*typed.ty),
            FnArg::Receiver(own) => {
                let problem =
                    "a method is a handler in an `impl` block with `#[server]`: write that before the block";
                Err(Error::new(own.span(), problem))
            }
        }
    }
    signature.inputs.iter().map(of).collect()
}
