import Foundation
import TestDatabase
import Testing

/// Nouns of the command line that come from manifests, of the apps in the binary and of one from a folder.
@Suite(.serialized, .timeLimit(.minutes(30))) struct NounTests {
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
      #expect(add.contains("--planted-on") && add.contains("<code>") && add.contains("<variety>"))
      let transitions = try await shell.done("tree", "do", "--help").output
      #expect(transitions.contains("bear, fell"))
      // Harvests have no workflow.
      #expect(try await !shell.done("harvest", "--help").output.contains("\n  do "))
      let script = try await shell.done("completion", "fish").output
      #expect(script.contains("planted-on") && script.contains("felled"))
      #expect(try await shell.done("--help").output.contains("\n  tree "))
    }
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
