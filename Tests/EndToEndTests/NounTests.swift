import AppInterfaces
import Apps
import CoreCommands
import Domain
import EndToEndFixtures
import Foundation
import Store
import TestDatabase
import Testing

/// Nouns of the command line that come from manifests, of the apps in the binary and of one from a folder.
@Suite(.serialized, .timeLimit(.minutes(60))) struct NounTests {
  private static let columns = ["code", "variety", "status", "kilograms"]

  @Test func `an app from a folder brings its own nouns`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      #expect(try await shell.fettle("tree", "list").status == 64)
      try await shell.done("app", "install", ExampleApp.folder)

      try await shell.done("tree", "add", "T-1", "Ingrid Marie", "--planted-on", "2020-04-01", "--as", "ana")
      let twice = try await shell.fettle("tree", "add", "t-1", "Aroma", "--as", "ana")
      #expect(twice.status == 5 && twice.errors.hasPrefix("error[already_exists]"))
      try await shell.done(
        "harvest",
        "add",
        "--tree",
        "t-1",
        "--picked-on",
        "2026-09-01",
        "--kilograms",
        "12.5"
      )
      try await shell.done("tree", "do", "bear", "T-1", "--as", "ana")
      try await shell.done("tree", "update", "T-1", "--variety", "Aroma", "--as", "ana")

      let trees = try await shell.rows("tree", "list", "--status", "bearing")
      #expect(trees.map { $0["variety"] as? String } == ["Aroma"])
      #expect(try await shell.rows("harvest", "list", "--tree", "T-1").count == 1)
      #expect(try await shell.rows("tree").count == 1)
      let table = try await shell.done("tree", "list", "--status", "Bearing", "--sort", "-kilograms").output
      #expect(table.split(separator: "\n").first?.split(separator: " ").map(String.init) == Self.columns)
      let wrong = try await shell.fettle("harvest", "list", "--tree", "T-2")
      #expect(wrong.status == 3 && wrong.errors.contains("did you mean T-1?"), "\(wrong.errors)")
      let empty = try await shell.fettle("tree", "update", "T-1")
      #expect(empty.status == 6 && empty.errors.contains("no field is given"))
      #expect(try await shell.fettle("tree", "add", "T-9").status == 64)
      #expect(try await shell.rows("tree", "show", "T-1").first?["planted_on"] as? String == "2020-04-01")
      let history = try await shell.rows("tree", "history", "T-1")
      #expect(history.map { $0["what"] as? String } == ["create", "bear", "edit"])
    }
  }

  @Test func `the help of a noun names its own fields and transitions`() async throws {
    try await Shell.open { shell in
      try await shell.done("app", "install", ExampleApp.folder)
      let verbs = try await shell.done("tree", "--help").output
      for verb in ["list", "show", "add", "update", "delete", "restore", "do", "history"] {
        #expect(verbs.contains("\n  \(verb) "), "\(verb)")
      }
      let add = try await shell.done("tree", "add", "--help").output
      #expect(add.contains("--planted-on") && add.contains("<code> <variety>"))
      let list = try await shell.done("harvest", "list", "--help").output
      #expect(list.contains("--tree <tree>") && list.contains("Filter by tree (key or id)"))
      let transitions = try await shell.done("tree", "do", "--help").output
      #expect(transitions.contains("bear, fell"))
      // Harvests have no workflow.
      #expect(try await !shell.done("harvest", "--help").output.contains("\n  do "))
      #expect(list.contains("--status") == false)
      let script = try await shell.done("completion", "fish").output
      #expect(script.contains("planted-on") && script.contains("felled"))
      #expect(try await shell.done("--help").output.contains("\n  tree "))
    }
  }

  @Test func `no noun can have the name of a built-in command, and no field the flag of a verb`() async throws
  {
    let grammar = try await JSONDecoder().decode(CommandGrammar.self, from: FettleProcess.grammar()).command
    let names = Set((grammar.subcommands ?? []).map(\.commandName))
    let nouns = Set(AppPackage.embeddedManifests().flatMap(\.types).compactMap(\.command?.name))
    let built = CommandNoun.builtIn.union(CompiledApps.registry.commandNames)
    #expect(built.isDisjoint(with: nouns))
    #expect(names == built.union(nouns))

    let machine = grammar.subcommands?.first { $0.commandName == "machine" }
    let verbs = (machine?.subcommands ?? []).filter { CommandNoun.verbs.contains($0.commandName) }
    #expect(verbs.map(\.commandName).sorted() == CommandNoun.verbs.sorted())
    let flags = verbs.flatMap { $0.arguments ?? [] }.flatMap { $0.names ?? [] }.map(\.name)
      .filter { $0.count > 1 }
    #expect(Set(flags).subtracting(CommandNoun.reserved) == ["code", "name", "photo"])
  }

  @Test func `verbs written by hand stand beside those of the manifest`() async throws {
    try await Shell.open { shell in
      let verbs = try await shell.done("entry", "--help").output
      for verb in ["list", "add", "do", "split", "import"] {
        #expect(verbs.contains("\n  \(verb) "), "\(verb)")
      }
      let mistyped = try await shell.fettle("entry", "lst")
      #expect(mistyped.status == 64 && mistyped.errors.contains("did you mean fettle entry list?"))
      let flag = try await shell.fettle("entry", "add", "Leaks", "--machin", "RM-001")
      #expect(flag.status == 64 && flag.errors.contains("--machine"))
    }
  }
}
