//! The cost and the latency of a call, as a server claims them.

spelled_open! {
    /// The category of a call's cost.
    pub enum CostCategory {
        /// A call costs nothing.
        Free = "free",
        /// A call uses up units.
        Metered = "metered",
        /// A call costs so much that it has to be approved.
        RequiresApproval = "requires_approval",
    } else
    /// A category that is not in the proposals.
    Other
}

open_object! {
    described /// The cost of a call, as the tool's server claims it.
    pub struct Cost {
        /// The category.
        required category: CostCategory = "category",
        /// The number of units that a call is likely to use up.
        lenient estimated_units: f64 = "estimated_units",
        /// The name of the units, for people.
        lenient unit_label: String = "unit_label",
    }
}

impl Cost {
    /// Creates a cost with only a category.
    #[must_use]
    pub const fn new(category: CostCategory) -> Self {
        Self { category, estimated_units: None, unit_label: None, other: crate::json::RawObject::new() }
    }

    /// Returns the greater of two claims: with an approval, or with more units.
    pub(super) fn or_dearer(mut self, other: Self) -> Self {
        if other.category == CostCategory::RequiresApproval {
            self.category = other.category;
        }
        if other.estimated_units > self.estimated_units {
            (self.estimated_units, self.unit_label) = (other.estimated_units, other.unit_label);
        }
        self
    }
}

spelled! {
    /// The time that a call is likely to take.
    pub enum LatencyClass as "latency" {
        /// Less than a second.
        Immediate = "instant",
        /// Seconds.
        Seconds = "seconds",
        /// Minutes, or longer.
        Minutes = "minutes",
    }
}
