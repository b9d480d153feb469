internal import EndToEndFixtures
internal import Foundation
package import Testing
internal import Values

extension Browser {
  /// Checks the page with axe: WCAG 2.2 up to level AA, and axe's best practices.
  ///
  /// - Parameter heading: the page's `h1`, since axe also judges an error page in its place.
  /// - Returns: a violation each, with the elements that have it.
  package func axe(
    expecting heading: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await waitForHeading(heading)
    if try await execute("return typeof axe").string == "undefined" { try await execute(Axe.source()) }
    let result = try await executeWaiting(Axe.run)
    if let problem = result["problem"]?.string { throw await failure("axe has not run: \(problem)") }
    return result["violations"]?.array?.map(Axe.sentence) ?? []
  }
}

/// axe-core, which judges the accessibility of pages.
private enum Axe {
  /// Returns the script, which deploy/test has fetched; else it is fetched now.
  static func source() async throws -> String { try await fetched.value }

  private static let fetched = Task {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let outcome = try await FettleProcess.run(
      URL(filePath: "/bin/bash"),
      ["-c", "cd \"$0\" && source deploy/lib/packages.bash && fetch_axe && cat \"$axe\"", root.path],
      ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    )
    guard outcome.status == 0 else { throw NotFetched(said: outcome.errors) }
    return outcome.output
  }

  /// The package of axe could not be downloaded, or is another one.
  private struct NotFetched: Error { let said: String }

  static let run = """
    const done = arguments[arguments.length - 1]
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
    axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']}).then(
      result => done({violations: result.violations.map(({id, impact, help, nodes}) => ({
        id, impact, help, nodes: nodes.map(({target, html, failureSummary}) => ({
          target: target.join(' '), html: html.slice(0, 200), why: (failureSummary || '').split('\\n').slice(1).join(';')
        }))
      }))}),
      error => done({problem: String(error)}))
    """

  /// Returns a violation as lines of text.
  static func sentence(_ violation: JSONValue) -> String {
    func text(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "" }
    let nodes = (violation["nodes"]?.array ?? []).map {
      "\n  \(text($0, "target")): \(text($0, "html"))\n   \(text($0, "why"))"
    }
    let head = "\(text(violation, "id")) (\(text(violation, "impact"))): \(text(violation, "help"))"
    return head + nodes.joined()
  }
}
