package import Domain

/// The character encoding of a text file.
package enum FileEncoding: String, Sendable, Codable, CaseIterable {
  case utf8 = "utf-8"
  /// UTF-16 in the byte order of its mark; without a mark little endian, as Windows writes it.
  case utf16 = "utf-16"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  /// The Western European encoding of Windows, and of Excel's plain "CSV".
  case windows1252 = "windows-1252"

  /// Parses the name of an encoding, in any case and with its usual aliases (`utf8`, `cp1252`, `latin1`).
  ///
  /// - Throws: `invalid_input` with the closest name or the list of names as a hint.
  package init(named name: String) throws(DomainError) {
    let key = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    let aliases: [String: FileEncoding] = [
      "cp1252": .windows1252, "1252": .windows1252, "ansi": .windows1252, "latin1": .windows1252,
      "iso88591": .windows1252, "unicode": .utf16, "ucs2": .utf16,
    ]
    let found =
      Self.allCases.first { $0.rawValue.filter { $0 != "-" } == key }
      ?? aliases[key]
    guard let found else {
      let names = Self.allCases.map(\.rawValue)
      let closest = Suggestion.closest(to: name, among: names)
      throw DomainError(
        .invalidInput,
        "unknown encoding \(Quoted(name))",
        hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))"
      )
    }
    self = found
  }

  /// The byte order mark of a file in this encoding; empty for Windows-1252.
  package var mark: [UInt8] {
    switch self {
    case .utf8: [0xef, 0xbb, 0xbf]
    case .utf16, .utf16LittleEndian: [0xff, 0xfe]
    case .utf16BigEndian: [0xfe, 0xff]
    case .windows1252: []
    }
  }

  /// Returns UTF-8 text in this encoding, without a byte order mark.
  ///
  /// Characters that Windows-1252 lacks become `?`.
  func encode(_ utf8: some Sequence<UInt8>) -> [UInt8] {
    switch self {
    case .utf8: Array(utf8)
    case .utf16, .utf16LittleEndian: Self.units(utf8).flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    case .utf16BigEndian: Self.units(utf8).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    case .windows1252: String(decoding: Array(utf8), as: UTF8.self).unicodeScalars.map(Windows1252.byte)
    }
  }

  /// Returns a text in this encoding.
  ///
  /// - Throws: `invalid_input` naming the first character that the encoding lacks.
  package func encodeExactly(_ text: String) throws(DomainError) -> [UInt8] {
    if self == .windows1252 {
      let lacking = text.unicodeScalars.first { $0 != "?" && Windows1252.byte($0) == UInt8(ascii: "?") }
      if let lacking {
        throw DomainError(
          .invalidInput,
          "windows-1252 has no \(Quoted(String(lacking)))",
          hint: "export in utf-8 or utf-16"
        )
      }
    }
    return encode(text.utf8)
  }

  private static func units(_ utf8: some Sequence<UInt8>) -> String.UTF16View {
    String(decoding: Array(utf8), as: UTF8.self).utf16
  }
}

/// The code page Windows-1252: equals Latin-1, except for 0x80 to 0x9F.
enum Windows1252 {
  /// Returns the scalar of a byte; nil for the five unassigned bytes.
  static func scalar(_ byte: UInt8) -> Unicode.Scalar? {
    guard (0x80...0x9f).contains(byte) else { return Unicode.Scalar(byte) }
    let value = upper[Int(byte) - 0x80]
    return value == 0 ? nil : Unicode.Scalar(value)
  }

  /// Returns the byte of a scalar; `?` if the code page lacks the scalar.
  static func byte(_ scalar: Unicode.Scalar) -> UInt8 {
    if scalar.value < 0x80 || (0xa0...0xff).contains(scalar.value) { return UInt8(scalar.value) }
    guard let value = UInt16(exactly: scalar.value), let index = upper.firstIndex(of: value) else {
      return UInt8(ascii: "?")
    }
    return UInt8(0x80 + index)
  }

  /// The scalars of 0x80 to 0x9F, from the mapping that Microsoft registered with the Unicode Consortium
  /// (CP1252.TXT); 0 is unassigned.
  private static let upper: [UInt16] = [
    0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
    0x017d, 0,
    0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,
    0x017e,
    0x0178,
  ]
}
