//! The person who runs the program.

use mgp_types::context::Principal;

/// The person who runs the program, by the name of the account: whoever can write the state folder has the admin role.
pub(crate) fn operator() -> Principal {
    let name = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = name.filter(|name| !name.is_empty() && !name.chars().any(char::is_control));
    Principal::operator(name.as_deref().unwrap_or("operator"))
}
