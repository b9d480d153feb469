import Store
import TestDatabase
import Testing

/// A mistake in an app: the replacement, and the expected finding.
struct PlantedFault: Sendable, CustomTestStringConvertible {
  let name: String
  /// The expected code.
  let code: String
  /// A part of the expected place.
  let place: String
  let file: String
  /// The text to replace; nil to append to the file.
  let text: String?
  let planted: String

  var testDescription: String { name }

  /// The example with the mistake.
  func app() throws -> ExampleApp {
    let example = try ExampleApp.read()
    guard let text else { return example.adding(file, (example.files[file] ?? "") + planted + ";\n") }
    return try example.replacing(text, with: planted, in: file)
  }

  /// Parses mistakes of three lines each.
  static func read(_ catalogue: String) -> [PlantedFault] {
    let lines = catalogue.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return stride(from: 0, to: lines.count - 2, by: 3).compactMap { index in
      guard let colon = lines[index].firstRange(of: ": "), let at = lines[index].firstRange(of: " at ") else {
        return nil
      }
      let place = lines[index + 1].drop { $0 == " " }
      let file = String(place.prefix { $0 != " " })
      let rest = place.dropFirst(file.count)
      return PlantedFault(
        name: String(lines[index][..<colon.lowerBound]),
        code: String(lines[index][colon.upperBound..<at.lowerBound]),
        place: String(lines[index][at.upperBound...]),
        file: file,
        text: rest == " ends with" ? nil : broken(rest.dropFirst(" has ".count)),
        planted: broken(lines[index + 2].dropFirst(2))
      )
    }
  }

  private static func broken(_ text: some StringProtocol) -> String {
    String(text).replacing("¶", with: "\n")
  }
}
