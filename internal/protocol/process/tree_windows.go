package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object. The system kills its processes when its last handle is closed, which is bench's.
type tree struct {
	job windows.Handle
	pid uint32
}

// prepare makes the job. The program starts suspended, so that it starts no other before it is in the job.
func (t *tree) prepare(cmd *exec.Cmd, memory int64) (err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
	if t.job, err = windows.CreateJobObject(nil, nil); err != nil {
		return fmt.Errorf("job object: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if memory > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(memory)
	}
	_, err = windows.SetInformationJobObject(t.job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		t.release()
		return fmt.Errorf("limits of a job object: %w", err)
	}
	return nil
}

var resume = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

func (t *tree) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		t.release()
		return err
	}
	t.pid = uint32(cmd.Process.Pid)
	var failed error
	err := cmd.Process.WithHandle(func(handle uintptr) {
		if failed = windows.AssignProcessToJobObject(t.job, windows.Handle(handle)); failed != nil {
			return
		}
		if status, _, _ := resume.Call(handle); status != 0 {
			failed = windows.NTStatus(status)
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.release()
		return fmt.Errorf("cannot put the program into a job object: %w", err)
	}
	return nil
}

// awaitEnd waits until the program has ended.
func awaitEnd(cmd *exec.Cmd) { cmd.Wait() } // its error repeats the state

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, total, active, terminated                  uint32
}

// populated reports whether the job has a process that has not ended.
func (t *tree) populated() bool {
	var info accounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)),
		nil)
	return err == nil && info.active > 0
}

func (t *tree) kill() { windows.TerminateJobObject(t.job, 1) }

// terminate sends Ctrl-Break, which needs a common console.
func (t *tree) terminate() { windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, t.pid) }

func (t *tree) release() { windows.CloseHandle(t.job) }

// ending says how a program ended.
func ending(state *os.ProcessState, stopped bool) string {
	const failure = 0xC0000000 // from here on the code is a status of the system, such as 0xC0000005 for an access violation
	switch code := uint32(state.ExitCode()); {
	case stopped:
		return "stopped by bench"
	case code >= failure:
		return fmt.Sprintf("exit code 0x%08X", code)
	default:
		return fmt.Sprintf("exit code %d", code)
	}
}
