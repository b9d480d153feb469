internal import FoundationEssentials

/// Generates a file of work orders, with the same rows in every run.
enum WorkOrderFile {
  private static let faults = [
    "BUCKET WON'T OPEN", "L/H BUCKET CYL LEAKING.", "SWAP BUCKET", "ENGINE OVERHEATING",
    "REPLACE HYD HOSE BOOM",
    "SLEW MOTOR NOISY, CHECK OIL", "TRACK PAD LOOSE", "AIRCON NOT WORKING", "GREASE LINE BROKEN ON STICK",
    "500 HR SERVICE",
  ]

  /// Writes a CSV file with a number of rows and the headings that the import maps.
  static func write(to path: String, rows: Int) throws {
    var text = "BscStartDate,Asset,OriginalShorttext,PMType,Cost\n"
    for row in 0..<rows {
      // A multiplicative hash, so that consecutive rows differ.
      let mixed = (row &* 2_654_435_761) >> 7
      let fault = faults[mixed % faults.count]
      let day = "20\(two(4 + row % 20))-\(two(1 + mixed % 12))-\(two(1 + mixed / 12 % 28))"
      let description = fault.contains(",") ? "\"\(fault) \(row)\"" : "\(fault) \(row)"
      text +=
        "\(day),EX-\(mixed % 50),\(description),PM0\(1 + mixed % 3),\(mixed % 5000).\(two(mixed % 100))\n"
    }
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
