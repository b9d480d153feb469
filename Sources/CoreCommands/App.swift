package import API
package import ArgumentParser
package import Demo
package import Engine
package import Jobs

/// The compiled part of an app, beyond its manifest.
///
/// The engine knows an app's types, workflows and permissions from the manifest. Conform to this protocol to
/// add rules that read other rows, job handlers and commands, and name the conforming type in `CompiledApps`.
package protocol App: Sendable {
  /// The app's name, as in its manifest.
  var name: String { get }

  /// Rules of the app's record types, and the records that a new company starts with.
  var rules: AppRules { get }

  /// Commands besides the nouns of the manifest, in the order of the help.
  var commands: [any ParsableCommand.Type] { get }

  /// Additional verbs of the manifest's nouns, by noun. A verb with the name of a generic one replaces it.
  var verbs: [String: [any ParsableCommand.Type]] { get }

  /// Demo data; nil if the app has none.
  var demo: (any AppDemo)? { get }

  /// Returns the handlers of the app's jobs.
  func handlers(_ setup: HandlerSetup) -> [any JobHandler]

  /// Returns the app's routes of the HTTP API, besides those of its record types.
  func routes(_ records: Records, _ services: Services) -> [Route]

  /// Returns the tasks of the app that run in programs of the operator.
  func tasks(_ records: Records) -> [any ProgramTask]
}

extension App {
  /// No compiled rules.
  package var rules: AppRules { .none }
  /// No commands besides the nouns of the manifest.
  package var commands: [any ParsableCommand.Type] { [] }
  /// No verbs besides the generic ones.
  package var verbs: [String: [any ParsableCommand.Type]] { [:] }
  /// No demo data.
  package var demo: (any AppDemo)? { nil }
  /// Returns no handlers.
  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [] }
  /// Returns no routes.
  package func routes(_ records: Records, _ services: Services) -> [Route] { [] }
  /// Returns no program tasks.
  package func tasks(_ records: Records) -> [any ProgramTask] { [] }
}
