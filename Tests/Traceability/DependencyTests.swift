import Foundation
import Testing

/// The packages of the build are pinned, listed, and under licences that permit their use.
@Suite struct DependencyTests {
  private struct Dependency: Hashable {
    let source: String
    let version: String
    let licence: String
  }

  /// The licences that the list may name, with words that only their text has.
  private static let licences = [
    "Apache-2.0": "Apache License", "MIT": "Permission is hereby granted, free of charge",
    "BSD-3-Clause": "Neither the name of", "ISC": "Permission to use, copy, modify, and/or distribute",
  ]

  private static let root = Folder.tests.deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func listed() throws -> [Dependency] {
    try text("deploy/dependencies.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ").map(String.init)
      try #require(words.count == 3, "\(line)")
      return Dependency(source: words[0], version: words[1], licence: words[2])
    }
  }

  @Test func `every package is required in exactly the version that is listed`() throws {
    let versions = Dictionary(uniqueKeysWithValues: try Self.listed().map { ($0.source, $0.version) })
    let lines = try Self.text("Package.swift").split(separator: "\n").filter { $0.contains(".package(url:") }
    #expect(lines.count > 10)
    for line in lines {
      let match = line.firstMatch(of: /github\.com\/([^"]+)", exact: "([^"]+)"/)
      #expect(match != nil, "not exact: \(line)")
      guard let match else { continue }
      #expect(versions[String(match.output.1)] == String(match.output.2), "\(line)")
    }
  }

  @Test func `the build uses the listed versions and no other package`() throws {
    // Written by the build, and in no version control.
    guard let lock = try? Self.text("Package.resolved") else { return }
    struct Lock: Decodable {
      struct Pin: Decodable {
        struct State: Decodable {
          let version: String?
        }
        let location: String
        let state: State
      }
      let pins: [Pin]
    }
    let pins = try JSONDecoder().decode(Lock.self, from: Data(lock.utf8)).pins.map { pin in
      let source = pin.location.replacing("https://github.com/", with: "")
      let name = source.hasSuffix(".git") ? String(source.dropLast(4)) : source
      return "\(name) \(pin.state.version ?? "")"
    }
    let listed = try Self.listed().map { "\($0.source) \($0.version)" }
    #expect(Set(pins).symmetricDifference(listed) == [], "update deploy/dependencies.txt")
  }

  @Test func `every licence is permitted and is that of the package`() throws {
    for dependency in try Self.listed() {
      guard let mark = Self.licences[dependency.licence] else {
        Issue.record("\(dependency.source): the licence \(dependency.licence) is not permitted")
        continue
      }
      let name = dependency.source.split(separator: "/").last.map(String.init) ?? ""
      let folder = Self.root.appending(path: ".build/checkouts/\(name)")
      // A build elsewhere has its checkouts elsewhere.
      guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { continue }
      let file = try #require(files.first { $0.uppercased().hasPrefix("LICENSE") }, "\(name) has no licence")
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      #expect(text.contains(mark), "\(name) is not under \(dependency.licence)")
    }
  }
}
