//! The words of the page.

use crate::texts::words;

words! {
    /// The page of settings.
    SettingWords { title }
}
