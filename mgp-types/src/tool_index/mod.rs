//! §16 Finding tools: the index, discovery by intent, requests for a capability, the session's tools, the budget.

mod budget;
mod category;
mod creation;
mod discover;
mod entry;
mod exposure;
mod meta_tools;
mod notes;
mod request;
mod session;

pub use budget::{BudgetError, ToolContextBudget};
pub use category::{CategoryCount, CategoryIndex, category_path, is_filed_under};
pub use creation::{CreationTerms, ToolCreation};
pub use discover::{
    DiscoverFilter, DiscoverTools, DiscoverToolsParams, DiscoverToolsResult, DiscoveredTool, SearchStrategy,
};
pub use entry::IndexEntry;
pub use exposure::Exposure;
pub use meta_tools::MetaTool;
pub use notes::{AboveRisk, CutResults, PendingApproval, TooLarge, ToolIndexNotes};
pub use request::{
    LoadedTool, MatchConfidence, RequestStatus, RequestTools, RequestToolsParams, RequestToolsResult,
    ServerRecommendation, ToolRequirements,
};
pub use session::{EvictTools, EvictToolsParams, EvictToolsResult, SessionTools, SessionToolsResult};

pub use crate::permission::{PendingPermission, WaitingTools};
