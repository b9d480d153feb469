internal import Glibc

/// Starts a detached thread that runs `body` with the object and retains the object until `body` returns.
/// Returns false if no thread can be created.
func startThread<Object: AnyObject & Sendable>(
  _ object: Object,
  _ body: @escaping @Sendable (Object) -> Void
) -> Bool {
  let start = Unmanaged.passRetained(ThreadStart { body(object) })
  var thread = pthread_t()
  let code = pthread_create(
    &thread,
    nil,
    { context in
      if let context { Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    },
    start.toOpaque()
  )
  guard code == 0 else {
    start.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// The argument of a new thread.
private final class ThreadStart: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
