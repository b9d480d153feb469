internal import Domain
internal import FoundationEssentials
internal import Secrets

/// Derives the ids of records from the mapped cells of their lines.
///
/// The same file with the same mapping produces the same ids, so that a repeated import adds nothing. An
/// ordinal distinguishes equal lines.
struct ImportIdentities {
  private let company: [UInt8]
  private let type: [UInt8]
  private var ordinals: [[UInt8]: Int] = [:]

  init(company: UUID, type: String) {
    self.company = Array(company.text.utf8)
    self.type = Array(type.utf8)
  }

  /// Returns the id for the next line of the file.
  mutating func next(_ line: ImportLine) -> UUID {
    var input: [UInt8] = []
    for cell in line.raw {
      input += "\(cell.utf8.count):".utf8
      input += cell.utf8
    }
    let key = SHA256.hash(input)
    let ordinal = ordinals[key, default: 0]
    ordinals[key] = ordinal + 1
    return UUID.deterministic(
      namespace: "fettle.import",
      parts: [company, type, key, Array(String(ordinal).utf8)]
    )
  }
}
