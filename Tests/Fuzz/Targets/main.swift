import CFuzzer
import Glibc

/// `fettle-fuzz TARGET [libFuzzer's arguments]`: reads one parser with made-up input until it fails.
let given = CommandLine.arguments
guard given.count > 1, FuzzTarget.selected != nil else {
  print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
  exit(given.count > 1 ? 2 : 0)
}
var arguments: [UnsafeMutablePointer<CChar>?] = ([given[0]] + given.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(arguments.count - 1)
arguments.withUnsafeMutableBufferPointer { buffer in
  var start = buffer.baseAddress
  exit(
    LLVMFuzzerRunDriver(&count, &start) { data, size in
      FuzzTarget.selected?.read(Array(UnsafeBufferPointer(start: data, count: size)))
      return 0
    }
  )
}
