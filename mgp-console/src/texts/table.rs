//! Tables of texts.

/// Defines tables of texts, all of which a file must have.
macro_rules! words {
    ($($(#[$doc:meta])* $table:ident { $($field:ident)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $table { $(pub(crate) $field: String,)* }
    )*};
}
pub(crate) use words;
