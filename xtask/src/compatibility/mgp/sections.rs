//! The sections of the specification with requirements.

/// The sections. Overviews, examples, comparisons and outlooks have no requirements and are not among them.
pub(super) const SECTIONS: &[&str] = &[
    "1.2", "1.3", "1.4", "1.5", "2.2", "2.3", "2.4", "3.2", "3.3", "3.4", "3.5", "3.6", "4.2", "4.3", "4.4",
    "4.5", "5.2", "5.3", "5.4", "5.5", "6.3", "6.4", "6.5", "7.2", "7.3", "7.4", "8.1", "8.2", "11.2",
    "11.3", "11.4", "11.5", "12.2", "12.3", "12.4", "12.5", "12.6", "12.7", "13.2", "13.3", "13.4", "13.5",
    "14.2", "14.3", "14.4", "14.5", "14.6", "15.2", "15.3", "15.4", "15.5", "16.2", "16.3", "16.4", "16.5",
    "16.6", "16.7", "16.8",
];

/// The section with the table of error codes.
pub(super) const CODES: &str = "14.3";
