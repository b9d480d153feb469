import FoundationEssentials
import Testing

/// Who looks for a subject finds it under one word in every layer.
@Suite struct SubjectLintTests {
  /// The subjects; CONTRIBUTING says what each is about.
  static let subjects: Set<String> = [
    "Access", "Apps", "Archives", "Erasure", "Files", "Import", "Jobs", "Limits", "Notices", "People",
    "Provisioning",
    "Records",
    "Reports",
    "Sharing", "SignIn", "Sync", "Verify", "Webhooks", "Workflows",
  ]
  /// The layers, with the parts that only they have.
  private static let layers: [String: Set<String>] = [
    "Domain": ["Errors", "Maintenance", "Values"],
    "Store": ["Health", "Migrations", "Values", "YAML", "Store.docc"],
    "Engine": ["Requests", "Screens"],
    "Jobs": ["Programs", "Timekeeper", "Watching", "Worker", "Jobs.docc"],
    "API": ["OpenAPI", "Problems", "Routing"],
    "fettle/Commands": ["API", "Backup", "Demo", "Server"],
  ]

  @Test func `a folder of a layer is named by a subject`() throws {
    let files = try SourceTree.files(below: "Sources")
    for (layer, own) in Self.layers {
      let inside = files.filter { $0.hasPrefix("\(layer)/") }.map { $0.dropFirst(layer.count + 1) }
      let folders = Set(inside.filter { $0.contains("/") }.map { String($0.prefix { $0 != "/" }) })
      #expect(folders.count > 5, "\(layer)")
      let unknown = folders.subtracting(Self.subjects).subtracting(own)
      #expect(unknown.isEmpty, "\(layer): \(unknown.sorted())")
    }
  }

  @Test func `the routines of the database are in folders of the same subjects`() throws {
    let folders = Set(
      try SourceTree.files(below: "sql/core/routines").filter { $0.contains("/") }
        .map { String($0.prefix { $0 != "/" }) }
    )
    let known = Self.subjects.map { $0 == "SignIn" ? "sign_in" : $0.lowercased() } + ["keys", "time"]
    #expect(folders.count > 8)
    #expect(folders.subtracting(known).isEmpty, "\(folders.subtracting(known).sorted())")
  }

  @Test func `CONTRIBUTING names every subject`() throws {
    let text = try SourceTree.text("CONTRIBUTING.md")
    for subject in Self.subjects { #expect(text.contains("| `\(subject)` |"), "\(subject)") }
  }
}
