//! The tools of every server, in one table that is replaced as a whole, and the tools that hosts find and load.

mod app;
mod arguments;
mod described;
mod entry;
mod estimate;
mod example;
mod few;
mod member_schema;
mod needs;
mod offered;
mod profiles;
mod results;
mod spared;
mod suspect;
mod table;
mod told;
#[expect(clippy::module_inception, reason = "the tools are named for what they are")]
mod tools;
mod unpinned;

use app::AppSettings;
pub(crate) use app::{may_have_app_settings, strip_app_settings};
pub(crate) use arguments::{ArgumentVerdict, check_object};
pub(crate) use described::DescribedTools;
pub(crate) use entry::ToolEntry;
use estimate::ClaimedEstimate;
use example::ArgumentExample;
pub(crate) use few::FewTools;
use member_schema::MemberSchema;
pub(crate) use offered::OfferedTools;
pub(crate) use profiles::TableProfiles;
pub(crate) use spared::SparedTokens;
pub use suspect::SuspectTool;
pub(crate) use suspect::suspect_tools;
pub(crate) use table::{ToolTable, judge};
pub(crate) use told::LastChange;
pub(crate) use tools::Tools;
pub(crate) use unpinned::UnpinnedServers;
