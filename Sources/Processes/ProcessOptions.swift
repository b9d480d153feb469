package import Subprocess

extension PlatformOptions {
  /// A process group of its own, so that all processes that a program starts end with it.
  ///
  /// - Parameter grace: the time between the request to end and the kill; nil kills at once.
  package static func ownGroup(grace: Duration?) -> PlatformOptions {
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))
    ]
    if let grace {
      options.teardownSequence.insert(
        .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: grace),
        at: 0
      )
    }
    return options
  }
}
