package import ArgumentParser
package import Demo
package import Engine
package import Jobs

/// The Swift of one app: what its manifest cannot say.
///
/// The engine knows an app's types, workflows and permissions from the manifest. Conform to this protocol to add rules
/// that read other rows, job handlers and commands, and name the conforming type in `CompiledApps`.
package protocol App: Sendable {
  /// The name, as in its manifest.
  var name: String { get }

  /// Rules of its record types, and the records that a new company starts with.
  var rules: AppRules { get }

  /// Its commands besides the nouns of its manifest, in the order of the help.
  var commands: [any ParsableCommand.Type] { get }

  /// Verbs of the manifest's nouns that do more than the generic ones, by noun. A verb with the name of a generic one
  /// replaces it.
  var verbs: [String: [any ParsableCommand.Type]] { get }

  /// Its demo data; nil if it has none.
  var demo: (any AppDemo)? { get }

  /// The handlers of its jobs.
  func handlers(_ setup: HandlerSetup) -> [any JobHandler]

  /// The kinds of job that an operator's program does for it.
  func tasks(_ records: Records) -> [any ProgramTask]
}

extension App {
  /// Its manifest says everything.
  package var rules: AppRules { .none }
  /// None besides the nouns of its manifest.
  package var commands: [any ParsableCommand.Type] { [] }
  /// None besides the generic ones.
  package var verbs: [String: [any ParsableCommand.Type]] { [:] }
  /// None.
  package var demo: (any AppDemo)? { nil }
  /// None.
  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [] }
  /// None.
  package func tasks(_ records: Records) -> [any ProgramTask] { [] }
}
