//! The interaction with the user, who visits the authorization server and is redirected back.

mod browser;
mod headless;
mod listen;
mod printed;
#[expect(clippy::module_inception, reason = "the trait is named for what it is")]
mod user_agent;

pub use browser::BrowserAgent;
pub use headless::HeadlessAgent;
pub use listen::Listen;
pub use printed::PrintedAgent;
pub use user_agent::{UserAgent, UserAgentError, Visit};
