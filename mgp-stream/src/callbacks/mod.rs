//! §13.4 Callbacks: questions that are sent as notifications while a call runs, and answered by `mgp/callback/respond`.
//!
//! - [`OpenCallbacks`]: the questions of a session that wait for an answer, and the method that answers them.
//! - [`CallbackQuestion`]: a question, with the check of its answer.
//! - [`CallbackForm`]: a form of elicitation that a callback can carry.
//! - [`form_of`] and [`response_of`]: a callback as a form of elicitation, and the user's answer as the response.

mod as_form;
mod field;
mod form;
mod open;
mod question;

pub use as_form::{FIELD, form_of, response_of};
pub use form::CallbackForm;
pub use open::{CallbackError, INVALID_RESPONSE, MAX_OPEN, OpenCallbacks};
pub use question::{CANCEL, CONFIRM, CallbackQuestion, DECLINE};
