import FoundationEssentials
import Testing

/// A number from outside must never end the process: `Int32(number)` traps for a number that does not fit.
///
/// A conversion to fewer bits says what happens otherwise: `exactly:` and a refusal, or `clamping:` for a number whose
/// reader has bounds already.
@Suite struct ConversionLintTests {
  /// The targets that numbers from outside do not reach: packing of bytes, buffers of libpq and OpenSSL, and tools.
  private static let closed = [
    "Bench", "Chaos", "Cluster", "EmbedFiles", "FettleTesting", "Postgres", "Secrets",
  ]
  /// Files that pack bytes, where every operand has fewer bits than the result or is masked.
  private static let packing = ["Engine/Import/FileDecoder.swift", "Engine/Import/FileEncoding.swift"]

  /// The code of a line that may convert an integer: most lines do not, and patterns take their time.
  private static func converting(_ line: String) -> Substring? {
    let bytes = Array(line.utf8)
    let isCandidate = bytes.indices.dropLast(2).contains { bytes[$0...].starts(with: "Int".utf8) }
    let code = line.drop { $0 == " " }
    return isCandidate && !code.hasPrefix("//") ? code : nil
  }

  /// Finds a conversion to fewer bits without a label. An argument that begins with a capital or a digit is a constant,
  /// and a test for nil is the conversion of a text.
  static func narrows(_ line: String) -> Bool {
    guard let code = converting(line) else { return false }
    if code.contains(/\.map\((U?Int(8|16|32)|UInt64|UInt)\.init\)/) { return true }
    let isText = code.contains("!= nil") || code.contains("guard ") && code.contains("let ")
    return !isText && code.contains(/\b(Int8|Int16|Int32|UInt8|UInt16)\((?![a-zA-Z]+:|[A-Z_"0-9]|-?\d|\))/)
  }

  /// Finds an integer that is made of a number with decimals without a label, which traps for infinities.
  static func rounds(_ line: String) -> Bool {
    guard let code = converting(line) else { return false }
    for match in code.matches(of: /\b(Int|Int64|UInt64)\((?![a-z]+:)/) {
      var depth = 1
      let argument = code[match.range.upperBound...].prefix { character in
        if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
        return depth > 0
      }
      // The clock of the machine is no number from outside.
      if argument.contains(/rounded\(|Double\(|\* 100\b|pow\(/), !argument.contains("timeIntervalSince") {
        return true
      }
    }
    return false
  }

  @Test func `no number from outside is converted by a constructor that traps`() throws {
    var lines = 0
    for path in try SourceTree.files(below: "Sources") where path.hasSuffix(".swift") {
      guard !Self.closed.contains(where: { path.hasPrefix("\($0)/") }), !path.contains("/Demo/"),
        !Self.packing.contains(path)
      else { continue }
      for (index, line) in try SourceTree.text("Sources/\(path)").split(
        separator: "\n",
        omittingEmptySubsequences: false
      ).enumerated() {
        lines += 1
        #expect(!Self.narrows(String(line)) && !Self.rounds(String(line)), "\(path):\(index + 1): \(line)")
      }
    }
    #expect(lines > 50_000)
  }

  @Test(arguments: [
    "set schema_version = \\(Int32(schemaVersion))", "version.map(Int32.init)", "let port = UInt16(port)",
    "let byte = UInt8(size - 1)", "x = Int16($0.priority)", "let hundredths = Int((value * 100).rounded())",
    "let whole = Int64(Double(text) ?? 0)",
  ])
  func `a conversion that traps is found`(_ line: String) {
    #expect(Self.narrows(line) || Self.rounds(line), "\(line)")
  }

  @Test(arguments: [
    "set schema_version = \\(Int32(clamping: schemaVersion))", "version.map(Int32.init(clamping:))",
    "guard let port = UInt16(text) else { return nil }", "let event = Int16(POLLIN)",
    "let line = UInt8(ascii: \"x\")",
    "// Int32(x)", "let days = Int(clamping: value.rounded())",
    "Int64(Date().timeIntervalSince1970 * 1_000_000)",
    "let batch = Int32(Self.batch)",
  ])
  func `a conversion that cannot trap is no violation`(_ line: String) {
    #expect(!Self.narrows(line) && !Self.rounds(line), "\(line)")
  }
}
