internal import ArgumentParser
internal import Domain
internal import Engine
internal import Store

extension NounTable {
  /// The nouns that a command line needs.
  ///
  /// Scripts start many processes, so manifests are decoded only when the command needs them: one manifest for a noun
  /// of an app in the binary; every manifest, also those of the database, for help, completions and unknown words.
  ///
  /// - Parameters:
  ///   - arguments: the command line, the program's own name first.
  ///   - apps: the apps with verbs of their own.
  ///   - isCommand: whether a word is a command that needs no manifest.
  package static func resolve(
    _ arguments: [String],
    apps: AppRegistry,
    isCommand: (String) -> Bool
  ) async -> NounTable {
    let word = word(in: arguments)
    // A manifest in the binary is decodable: the tests install every one.
    if let app = AppPackage.embeddedApp(withNoun: word),
      let manifest = try? AppPackage.embeddedManifest(app)
    {
      let nouns = Self.nouns(of: manifest, apps: apps).filter { $0.name == word }
      if !nouns.isEmpty { return NounTable(nouns) }
    }
    guard !isCommand(word) else { return NounTable([]) }
    let embedded = AppPackage.embeddedManifests()
    let names = Set(embedded.map(\.app))
    let installed = await installedManifests(arguments)
    let others = (installed ?? []).filter { !names.contains($0.app) }
    var taken = CommandNoun.builtIn
    // The first of two apps with one noun keeps it; `fettle record` reaches the records of the other.
    let nouns = (embedded + others).flatMap { Self.nouns(of: $0, apps: apps) }
      .filter { taken.insert($0.name).inserted }
    return NounTable(nouns, isComplete: installed != nil)
  }

  /// The word that names the command. In a request for completions it follows the parser's own word.
  package static func word(in arguments: [String]) -> String {
    let words = arguments.dropFirst()
    return (words.first == "---completion" ? words.dropFirst() : words).first ?? ""
  }

  private static func nouns(of manifest: AppManifest, apps: AppRegistry) -> [Noun] {
    let app = apps.apps.first { $0.name == manifest.app }
    return manifest.types.compactMap { type in
      Noun(
        type,
        workflow: type.workflow.flatMap(manifest.workflow),
        verbs: type.command.flatMap { app?.verbs[$0.name] } ?? []
      )
    }
  }

  /// The manifests of the database that the command line or the environment names; nil if it does not respond.
  private static func installedManifests(_ arguments: [String]) async -> [AppManifest]? {
    // A connection that cannot be read is refused by the command itself.
    guard let connection = try? ConnectionOptions.parse(database(in: arguments)) else { return nil }
    return try? await connection.withServices(poolSize: 1) { try await InstalledApps($0).manifests() }
  }

  /// The words that name the database: `--database URL` or `--database=URL`.
  private static func database(in arguments: [String]) -> [String] {
    let words = arguments.prefix { $0 != "--" }
    guard let index = words.firstIndex(where: { $0 == "--database" || $0.hasPrefix("--database=") }) else {
      return []
    }
    return Array(words[index...].prefix(words[index] == "--database" ? 2 : 1))
  }
}
