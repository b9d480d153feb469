internal import ArgumentParser
internal import Domain
internal import Engine
internal import Store

extension NounTable {
  /// The nouns that a command line needs.
  ///
  /// Scripts start many processes, so a manifest is decoded only if the command needs it: one manifest for a noun that
  /// it names; all of them, and those of the database, for help, for completion and for a word that nobody knows.
  ///
  /// - Parameters:
  ///   - arguments: the command line, the program's own name first.
  ///   - apps: the apps with verbs of their own.
  ///   - isCommand: whether a word is a command without a manifest's help.
  package static func resolve(
    _ arguments: [String],
    apps: AppRegistry,
    isCommand: (String) -> Bool
  ) async -> NounTable {
    let word = arguments.dropFirst().first ?? ""
    if let app = SQLManifests.app(withNoun: word), let manifest = try? AppPackage.embedded(app).manifest {
      // A manifest that the binary carries decodes: the tests install it.
      let nouns = Self.nouns(of: manifest, apps: apps).filter { $0.name == word }
      if !nouns.isEmpty { return NounTable(nouns) }
    }
    guard !isCommand(word) else { return NounTable([]) }
    let embedded = ((try? AppPackage.allEmbedded()) ?? []).map(\.manifest)
    let names = Set(embedded.map(\.app))
    let installed = await installedManifests(arguments).filter { !names.contains($0.app) }
    var taken: Set<String> = []
    // The first of two apps with one noun keeps it; `fettle record` reaches the other's records.
    let nouns = (embedded + installed).flatMap { Self.nouns(of: $0, apps: apps) }
      .filter { !isCommand($0.name) && taken.insert($0.name).inserted }
    return NounTable(nouns)
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

  /// The manifests of the database that the command line or the environment names; none if it does not answer.
  private static func installedManifests(_ arguments: [String]) async -> [AppManifest] {
    let place = arguments.firstIndex(of: "--database").map { Array(arguments[$0...].prefix(2)) } ?? []
    // A connection that cannot be read is refused by the command itself.
    guard let connection = try? ConnectionOptions.parse(place) else { return [] }
    return (try? await connection.withServices { try await InstalledApps($0).manifests() }) ?? []
  }
}
