//! Kept data.

use super::content::{ContentForm, KeptOutline};
use mgp_transport::long_text::LongText;
use mgp_types::reference::DataReference;
use std::sync::Arc;

/// Kept data.
#[derive(Debug)]
pub(crate) struct KeptData {
    pub(super) reference: DataReference,
    pub(super) form: ContentForm,
    /// The whole data.
    pub(super) spool: Arc<dyn LongText>,
    /// The placeholder of the whole data in arguments.
    pub(super) placeholder: Arc<str>,
    /// The data without its long strings, if it is JSON with long strings, and there was room for their files.
    pub(super) outline: Option<KeptOutline>,
}
