internal import CLibIDN2

/// The name of a host on the internet, which has two spellings if it has letters outside ASCII: `müller.example` and
/// `xn--mller-kva.example` (IDNA 2008, with the mapping of UTS 46).
package struct HostName: Sendable, Hashable {
  /// The spelling in ASCII, for protocols.
  package let ascii: String
  /// The spelling for people: as written if it is ASCII, otherwise with letters in lower case.
  package let text: String

  /// Parses a name of at least two labels; nil for another text. Both spellings of a name give the same value.
  package init?(_ input: some StringProtocol) {
    let input = String(input)
    let isPlain = input.utf8.allSatisfy { $0 < 0x80 } && !Self.hasEncodedLabel(input)
    if isPlain {
      (ascii, text) = (input, input)
    } else {
      guard let ascii = Self.ascii(of: input), let text = Self.text(of: ascii) else { return nil }
      self.ascii = ascii
      // A joiner between letters is allowed in names, and invisible.
      self.text = text.unicodeScalars.contains(where: \.isUnsafeInText) ? ascii : text
    }
    let labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else { return nil }
    guard labels.last?.contains(where: \.isLetter) == true else { return nil }
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  private static func hasEncodedLabel(_ text: String) -> Bool {
    text.split(separator: ".").contains { $0.prefix(4).lowercased() == "xn--" }
  }

  /// Returns the spelling in ASCII; nil for a text that is no name.
  private static func ascii(of text: String) -> String? {
    var result: UnsafeMutablePointer<UInt8>?
    let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    guard idn2_lookup_u8(text, &result, flags) == IDN2_OK.rawValue, let result else { return nil }
    defer { idn2_free(result) }
    return String(cString: result)
  }

  /// Returns the spelling for people; nil if the name cannot be decoded.
  private static func text(of ascii: String) -> String? {
    var result: UnsafeMutablePointer<CChar>?
    guard idn2_to_unicode_8z8z(ascii, &result, 0) == IDN2_OK.rawValue, let result else { return nil }
    defer { idn2_free(result) }
    return String(validatingCString: result)
  }
}
