//! The operations of a document, in the form that tools, requests and results are made of.

mod body;
mod build;
mod definition;
mod media;
mod method;
mod omission;
mod parameter;
mod response;
mod template;

pub use definition::Operation;
pub use method::{Method, UnknownMethod};
pub use omission::{Omission, OmissionReason};

pub(crate) use body::{Body, BodyFormat, BodyMember, BodyShape, DescribedBody, PartFormat};
pub(crate) use media::{MediaKind, essence, is_json};
pub(crate) use parameter::{DescribedParameter, Location, Parameter, ParameterFormat, Serialization, Style};
pub(crate) use template::{PathTemplate, Piece};
