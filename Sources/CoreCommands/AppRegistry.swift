package import ArgumentParser
package import Engine

/// What the compiled part of an app adds to the command line.
package protocol AppCommands: Sendable {
  /// The app's name, as in its manifest.
  var name: String { get }

  /// Commands besides the nouns of the manifest, in the order of the help.
  var commands: [any ParsableCommand.Type] { get }

  /// Additional verbs of the manifest's nouns, by noun. A verb with the name of a generic one replaces it.
  var verbs: [String: [any ParsableCommand.Type]] { get }
}

/// The apps compiled into this process, as far as commands need them.
package struct AppRegistry: Sendable {
  /// The apps that commands use. `main` binds them for the whole run.
  @TaskLocal package static var current = AppRegistry(rules: .none, apps: [])

  /// The rules of all apps.
  package let rules: AppRules
  package let apps: [any AppCommands]

  package init(rules: AppRules, apps: [any AppCommands]) {
    self.rules = rules
    self.apps = apps
  }

  /// The names of the apps' commands besides the nouns of their manifests.
  package var commandNames: Set<String> {
    Set(apps.flatMap(\.commands).compactMap { $0.configuration.commandName })
  }
}
