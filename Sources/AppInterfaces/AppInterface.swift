package import API
package import Apps
package import ArgumentParser
package import CoreCommands
package import Demo
package import Engine

/// The part of a compiled app that people and programs see: its commands, its routes and its demo data.
package protocol AppInterface: App, AppCommands {
  /// Demo data; nil if the app has none.
  var demo: (any AppDemo)? { get }

  /// Returns the app's routes of the HTTP API, besides those of its record types.
  func routes(_ records: Records, _ services: Services) -> [Route]
}

extension AppInterface {
  /// No commands besides the nouns of the manifest.
  package var commands: [any ParsableCommand.Type] { [] }
  /// No verbs besides the generic ones.
  package var verbs: [String: [any ParsableCommand.Type]] { [:] }
  /// No demo data.
  package var demo: (any AppDemo)? { nil }
  /// Returns no routes.
  package func routes(_ records: Records, _ services: Services) -> [Route] { [] }
}
