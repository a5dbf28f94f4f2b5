//! Resources and resource templates: `resources/*`.

mod definition;
mod service;
mod template;
mod uri;
mod uri_template;

pub use definition::Resource;
pub(crate) use service::Resources;
pub use template::ResourceTemplate;
#[cfg(feature = "fuzzing")]
pub(crate) use uri_template::UriTemplate;
