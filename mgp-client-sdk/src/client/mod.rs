//! A client of one server, in both eras of MCP. The functions are the same for both.
//!
//! | to | use |
//! |---|---|
//! | connect | [`ClientBuilder::connect`], [`connect_child`](ClientBuilder::connect_child), [`connect_http`](ClientBuilder::connect_http) |
//! | use tools | [`Client::list_tools`], [`call`](Client::call); with the raw result, [`call_tool`](Client::call_tool) |
//! | make a gateway call once, keep results or pass on kept results | [`Client::call_tool_with`], [`call_with`](Client::call_with), [`CallOptions`] |
//! | receive progress and chunks | [`Client::stream`]; unparsed, [`start_tool`](Client::start_tool) |
//! | create tools from code | [`ClientBuilder::tool_creation`], [`Client::create_tool`], [`Client::call_created`] |
//! | run tools as tasks | [`Client::call_tool_as_task`], [`task`](Client::task), [`tasks`](Client::tasks), [`Task::result`] |
//! | read resources | [`Client::list_resources`], [`list_resource_templates`](Client::list_resource_templates), [`read_resource`](Client::read_resource) |
//! | fill in prompts | [`Client::list_prompts`], [`get_prompt`](Client::get_prompt), [`complete`](Client::complete) |
//! | receive changes | [`Client::subscribe`], [`Subscription::next`] |
//! | receive events | [`Client::events`], [`EventStream::next`] |
//! | receive the log | [`ClientBuilder::on_log`], [`Client::set_log_level`] |
//! | answer the server | [`ClientBuilder::on_elicit`], [`on_callback`](ClientBuilder::on_callback), [`on_sample`](ClientBuilder::on_sample), [`roots`](ClientBuilder::roots), [`on_roots`](ClientBuilder::on_roots) |
//! | end the connection, and the process | [`Client::close`] |
//! | anything else | [`Client::request`], [`Client::peer`], [`ClientBuilder::service`] |

mod builder;
mod cache;
mod call;
mod call_end;
mod call_options;
mod caller;
mod changes;
#[expect(clippy::module_inception, reason = "the client is named for what it is")]
mod client;
mod completion;
mod connect;
mod event_queue;
mod events;
mod handlers;
mod health;
mod limits;
mod logging;
#[cfg(feature = "check-results")]
mod outputs;
mod owned;
mod prompts;
mod resources;
mod roots;
mod rounds;
mod session_listeners;
mod subscriptions;
mod tasks;
mod timeouts;
mod tool_call;
mod tool_creation;
mod tool_event;
mod tool_stream;
mod tools;

pub use crate::session::ConnectError as ClientError;
pub use builder::ClientBuilder;
pub use call_options::CallOptions;
pub use changes::Change;
pub use client::Client;
pub use event_queue::EventItem;
pub use events::EventStream;
pub use handlers::{CallbackAnswer, IntoAnswer};
pub use limits::Limits;
pub use mgp_lifecycle::retry::RetryPolicy;
pub use subscriptions::Subscription;
pub use tasks::{Task, TaskCall, TaskError, TaskStart};
pub use tool_call::ToolCallError;
pub use tool_creation::{CreateToolError, CreatedTool};
pub use tool_event::ToolEvent;
pub use tool_stream::{CancelOutcome, ToolStream};
