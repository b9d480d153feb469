/// A company's restrictions of one version of a workflow: more guards, more input, shorter timers, other
/// labels.
///
/// An overlay may only tighten the workflow, which ``validate(against:in:)`` checks. A complete example:
///
/// ```yaml
/// overlay: maintenance.entry@1        # the workflow and the version it was written for
/// company: acme                       # optional if a command names the company
/// tighten:
///   transitions:
///     complete:
///       guards: [{ path: '$.hours_logged > 0', message: No hours are logged yet }]  # additional
///       require: { fields: [completion_note], comment: { min: 10 } }               # additional
///     pause: { disabled: true }
///   states:
///     pending: { after: { remind: { delay: P3D, repeat: P3D } } }                   # shortened
/// relabel: { in_progress: In Arbeit }
/// ```
package struct WorkflowOverlay: Sendable, Hashable {
  /// The name of the workflow.
  package let workflow: String
  /// The version of the workflow for which the overlay is written.
  package let version: Int
  /// The slug of the company; nil if a command gives it.
  package let company: String?
  /// The restrictions of transitions, in file order.
  package let transitions: [TightenedTransition]
  /// The restrictions of states: their shorter timers, in file order.
  package let states: [TightenedState]
  /// The company's labels of states and transitions, sorted by name.
  package let labels: [Relabelling]

  /// Creates an overlay.
  package init(
    workflow: String,
    version: Int,
    company: String? = nil,
    transitions: [TightenedTransition] = [],
    states: [TightenedState] = [],
    labels: [Relabelling] = []
  ) {
    self.workflow = workflow
    self.version = version
    self.company = company
    self.transitions = transitions
    self.states = states
    self.labels = labels
  }

  /// Returns the same overlay for another version of the workflow.
  package func written(for version: Int) -> WorkflowOverlay {
    WorkflowOverlay(
      workflow: workflow,
      version: version,
      company: company,
      transitions: transitions,
      states: states,
      labels: labels
    )
  }

  /// A company's label of a state or transition.
  package struct Relabelling: Sendable, Hashable {
    /// The name of the state or transition in the definition.
    package let name: String
    /// The label.
    package let label: String

    /// Creates a label.
    package init(name: String, label: String) {
      self.name = name
      self.label = label
    }
  }
}

/// The restrictions of one transition in an overlay.
package struct TightenedTransition: Sendable, Hashable {
  /// The name of the transition.
  package let name: String
  /// The guards to evaluate after the definition's own.
  package let guards: [TransitionGuard]
  /// The input to require in addition to the definition's own.
  package let require: Requirements
  /// True to disable the transition; nil for no change. ``WorkflowOverlay/validate(against:in:)`` rejects
  /// false, which would enable it.
  package let isDisabled: Bool?
  /// The keys in the file that an overlay cannot change, such as `permission`; they are faults.
  package let surplus: [String]

  /// Creates restrictions of a transition.
  package init(
    name: String,
    guards: [TransitionGuard] = [],
    require: Requirements = Requirements(),
    isDisabled: Bool? = nil,
    surplus: [String] = []
  ) {
    self.name = name
    self.guards = guards
    self.require = require
    self.isDisabled = isDisabled
    self.surplus = surplus
  }
}

/// The shorter timers of one state in an overlay.
package struct TightenedState: Sendable, Hashable {
  /// The name of the state.
  package let name: String
  /// The timers, each identified by the transition that it fires.
  package let timers: [TightenedTimer]
  /// The keys in the file that an overlay cannot change, such as `final`; they are faults.
  package let surplus: [String]

  /// Creates the shortened timers of a state.
  package init(name: String, timers: [TightenedTimer] = [], surplus: [String] = []) {
    self.name = name
    self.timers = timers
    self.surplus = surplus
  }
}

/// A timer that an overlay makes shorter.
package struct TightenedTimer: Sendable, Hashable {
  /// The transition that the timer fires, which identifies it.
  package let fire: String
  /// The time between entering the state and the first firing; nil for the definition's.
  package let delay: Delay?
  /// The time between two firings; nil for the definition's.
  package let interval: Delay?

  /// Creates a shortened timer.
  package init(fire: String, delay: Delay? = nil, every interval: Delay? = nil) {
    self.fire = fire
    self.delay = delay
    self.interval = interval
  }
}
