// SPDX-License-Identifier: MIT

// Writes three events, or reads a log file or a session, without cgo.
//
//	sudo etw start go --file /tmp/go.etl
//	sudo etw enable go 3d0a9c55-0c5b-4f7e-8d43-6b1f2a9e7c10
//	CGO_ENABLED=0 go run . write
//	sudo etw stop go
//	go run . read /tmp/go.etl
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"etw-sample/etw"
)

func write() error {
	id, err := etw.ParseGUID("3d0a9c55-0c5b-4f7e-8d43-6b1f2a9e7c10")
	if err != nil {
		return err
	}
	provider, err := etw.Register("Sample-Go", id)
	if err != nil {
		return err
	}
	defer provider.Close()
	descriptor := etw.Descriptor{Level: 4, Keyword: 1}
	for number := 1; number <= 3; number++ {
		// Build an event only if a session wants it.
		if !provider.Enabled(descriptor.Level, descriptor.Keyword) {
			return errors.New("no session has enabled the provider")
		}
		event := etw.NewEvent("Step").Field("Number", etw.UInt32, number).Field("Text", etw.UTF8, "from Go")
		if err := provider.Write(descriptor, event); err != nil {
			return err
		}
	}
	return nil
}

func print(records []etw.Record) error {
	for _, record := range records {
		fields, err := json.Marshal(record.Fields)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s %s %s\n", record.Time.Format("15:04:05.000000"), record.ProviderName, record.Name, fields)
	}
	return nil
}

func read(path string) error {
	records, err := etw.ReadFile(path)
	if err != nil {
		return err
	}
	return print(records)
}

func listen(session string) error {
	consumer, err := etw.Listen(session)
	if err != nil {
		return err
	}
	defer consumer.Close()
	for {
		records, err := consumer.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := print(records); err != nil {
			return err
		}
	}
}

func main() {
	err := errors.New("usage: sample write | read FILE | listen SESSION")
	switch {
	case len(os.Args) == 2 && os.Args[1] == "write":
		err = write()
	case len(os.Args) == 3 && os.Args[1] == "read":
		err = read(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "listen":
		err = listen(os.Args[2])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sample: %v\n", err)
		os.Exit(1)
	}
}
