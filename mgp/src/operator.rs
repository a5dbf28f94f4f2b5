//! The person who runs the program.

use mgp_types::context::Principal;

/// Returns the user of the program, by account name, as a principal with the admin role. Only that account can write
/// the state folder.
pub(crate) fn operator() -> Principal {
    let name = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = name.filter(|name| !name.is_empty() && !name.chars().any(char::is_control));
    Principal::operator(name.as_deref().unwrap_or("operator"))
}
