//! The person who runs the program.

use mgp_types::context::Principal;
use tokio::task_local;

task_local! {
    /// The name of the person for whom the console runs a command.
    static NAME: String;
}

/// Returns the user of the program, by account name, as a principal with the admin role. Only that account can write
/// the state folder. In a command of the console, it is the operator who has signed in.
pub(crate) fn operator() -> Principal {
    if let Ok(operator) = NAME.try_with(|name| Principal::operator(name)) {
        return operator;
    }
    let name = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    Principal::operator(name.as_deref().filter(|name| is_operator_name(name)).unwrap_or("operator"))
}

/// Returns whether a text can be the name of an operator: 1 to 256 bytes without control characters.
pub(crate) fn is_operator_name(name: &str) -> bool {
    (1..=256).contains(&name.len()) && !name.chars().any(char::is_control)
}

/// Runs a command on behalf of an operator who is not at the terminal of this process.
#[cfg(feature = "console")]
pub(crate) async fn as_operator<T>(name: &str, command: impl Future<Output = T>) -> T {
    NAME.scope(name.to_owned(), command).await
}

/// Returns whether a command runs for somebody who is not at the terminal of this process.
pub(crate) fn is_elsewhere() -> bool {
    NAME.try_with(|_| ()).is_ok()
}
