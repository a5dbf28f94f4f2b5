//! The names of the members.

use super::ToolMetadata;
use serde::ser::SerializeMap;

/// Defines the members: the name that is written, and others that are read.
macro_rules! members {
    ($($variant:ident $field:ident = $name:literal $(| $alias:literal)*,)+) => {
        /// A member of a tool's metadata.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Member { $($variant,)+ }

        impl Member {
            /// Every member, in the order in which they are written.
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the member with a name.
            pub(super) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name $(| $alias)* => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Returns the names of the member, first the one that is written.
            pub(super) const fn names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$name $(, $alias)*],)+ }
            }

            /// Writes the member, if it is set.
            pub(super) fn write<M: SerializeMap>(self, metadata: &ToolMetadata, map: &mut M) -> Result<(), M::Error> {
                match self {
                    $(Self::$variant if metadata.$field.is_set() => map.serialize_entry($name, &metadata.$field),)+
                    _ => Ok(()),
                }
            }

            /// Returns whether the member is set.
            pub(super) fn is_set(self, metadata: &ToolMetadata) -> bool {
                match self { $(Self::$variant => metadata.$field.is_set(),)+ }
            }
        }
    };
}

members! {
    Version version = "version",
    Deprecated deprecated = "deprecated",
    Examples examples = "examples",
    Errors errors = "errors",
    Idempotent idempotent = "idempotent",
    Idempotency idempotency = "idempotency",
    SecurityNotes security_notes = "security_notes",
    Author author = "author",
    Tags tags = "tags",
    Cost cost = "cost",
    Latency latency = "latency",
    Quota quota = "quota",
    InputTypes input_types = "input_types",
    OutputTypes output_types = "output_types",
    MaxInputSizeBytes max_input_size_bytes = "max_input_size_bytes",
    BinaryTransport binary_transport = "binary_transport",
    Compensation compensation = "compensation",
    RequiredScopes required_scopes = "required_scopes" | "scopes",
    RequiresConfirmation requires_confirmation = "requires_confirmation" | "confirmation_required",
    ConfirmationMessage confirmation_message = "confirmation_message",
    RiskLevel risk_level = "risk_level",
    SupportsStreaming supports_streaming = "supports_streaming",
    SupportsPagination supports_pagination = "supports_pagination",
}

impl Member {
    /// Returns the name that is written.
    pub(super) const fn name(self) -> &'static str {
        self.names()[0]
    }
}

/// A value that may be absent.
trait IsSet {
    fn is_set(&self) -> bool;
}

impl<T> IsSet for Option<T> {
    fn is_set(&self) -> bool {
        self.is_some()
    }
}

impl<T> IsSet for Vec<T> {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}
