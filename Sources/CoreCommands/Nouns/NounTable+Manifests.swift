internal import ArgumentParser
internal import Domain
internal import Engine
internal import Store

extension NounTable {
  /// Returns the nouns that a command line needs.
  ///
  /// Scripts start many processes, so only the manifests that the command needs are decoded. A noun of an app
  /// in the binary needs one manifest. Help, completions and unknown words need all manifests, including
  /// those in the database.
  ///
  /// - Parameters:
  ///   - arguments: the command line, starting with the program's name.
  ///   - apps: the apps with verbs of their own.
  ///   - isCommand: returns true for a command that needs no manifest.
  package static func resolve(
    _ arguments: [String],
    apps: AppRegistry,
    isCommand: (String) -> Bool
  ) async -> NounTable {
    let word = word(in: arguments)
    // Manifests in the binary always decode: the tests install each one.
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
    var taken = CommandNoun.builtIn.union(apps.commandNames)
    // If two apps have the same noun, the first keeps it; `fettle record` reaches the records of the other.
    let nouns = (embedded + others).flatMap { Self.nouns(of: $0, apps: apps) }
      .filter { taken.insert($0.name).inserted }
    return NounTable(nouns, isComplete: installed != nil)
  }

  /// Returns the word that names the command. In a completion request, this word follows `---completion`.
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

  /// Returns the manifests in the database that the command line or the environment names; nil if the
  /// database does not respond.
  private static func installedManifests(_ arguments: [String]) async -> [AppManifest]? {
    // The command itself reports invalid connection options.
    guard let connection = try? ConnectionOptions.parse(database(in: arguments)) else { return nil }
    return try? await connection.withServices(poolSize: 1) { try await InstalledApps($0).manifests() }
  }

  /// Returns the words that name the database: `--database URL` or `--database=URL`, and `--ask-password`.
  private static func database(in arguments: [String]) -> [String] {
    let words = arguments.prefix { $0 != "--" }
    let flags = words.filter { $0 == "--ask-password" }.prefix(1)
    guard let index = words.firstIndex(where: { $0 == "--database" || $0.hasPrefix("--database=") }) else {
      return Array(flags)
    }
    return flags + Array(words[index...].prefix(words[index] == "--database" ? 2 : 1))
  }
}
